/** The placeholders in the shell, the built page, for what it shows. */
export const slots = { title: "<!--title-->", sentence: "<!--sentence-->", data: "<!--data-->" } as const;
