import { useState } from "preact/hooks";

const key = "setpoint-theme";
type Theme = "light" | "dark";

/** Light or dark: what the system says, until somebody says otherwise. */
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

/** A page in a sandboxed frame may not keep anything. */
function store(theme: Theme): void {
  try {
    localStorage.setItem(key, theme);
  } catch {
    // The choice then holds as long as the page is open.
  }
}
