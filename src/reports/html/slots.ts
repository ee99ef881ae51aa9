/** Where the built page, the shell, takes what it shows. */
export const slots = { title: "<!--title-->", sentence: "<!--sentence-->", data: "<!--data-->" } as const;
