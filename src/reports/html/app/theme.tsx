import { useState } from "preact/hooks";

const key = "setpoint-theme";
type Theme = "light" | "dark";

/** Switches between light and dark. The system decides until the user does. */
export function ThemeButton() {
  const [theme, setTheme] = useState<Theme>(
    applied(stored() ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")),
  );
  const other = theme === "dark" ? "light" : "dark";
  const change = () => {
    store(other);
    setTheme(applied(other));
  };
  return (
    <button type="button" onClick={change} aria-label={`Theme: change to ${other}`}>
      {other}
    </button>
  );
}

function applied(theme: Theme): Theme {
  document.documentElement.dataset.theme = theme;
  return theme;
}

function stored(): Theme | undefined {
  try {
    const theme = localStorage.getItem(key);
    return theme === "light" || theme === "dark" ? theme : undefined;
  } catch {
    return undefined;
  }
}

/** Keeps the choice. A page in a sandboxed frame is not allowed to. */
function store(theme: Theme): void {
  try {
    localStorage.setItem(key, theme);
  } catch {
    // The choice then lasts as long as the page is open.
  }
}
