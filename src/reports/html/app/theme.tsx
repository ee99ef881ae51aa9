import { useState } from "preact/hooks";
import { Button } from "./links.tsx";

const key = "setpoint-theme";
type Theme = "light" | "dark";

/** Switches between light and dark. The system decides until the user does. */
export function ThemeButton() {
  const [theme, setTheme] = useState<Theme>(initial);
  document.documentElement.style.setProperty("--scheme", theme);
  const other = theme === "dark" ? "light" : "dark";
  const change = () => {
    setTheme(other);
    try {
      localStorage.setItem(key, other);
    } catch {
      // A page in a sandboxed frame is not allowed to. The choice then lasts as long as the page is open.
    }
  };
  return (
    <Button onClick={change} aria-label={`Theme: change to ${other}`}>
      {other}
    </Button>
  );
}

function initial(): Theme {
  try {
    const stored = localStorage.getItem(key);
    if (stored === "light" || stored === "dark") return stored;
  } catch {
    // As above.
  }
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}
