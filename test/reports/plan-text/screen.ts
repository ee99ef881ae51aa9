export const screen = { width: 80, color: false, all: false } as const;
