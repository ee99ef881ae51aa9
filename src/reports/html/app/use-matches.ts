import { useEffect, useState } from "preact/hooks";

/** Whether the screen matches a media query, updated whenever that changes. */
export function useMatches(media: string): boolean {
  const [matches, set] = useState(() => matchMedia(media).matches);
  useEffect(() => {
    const list = matchMedia(media);
    const read = () => set(list.matches);
    list.addEventListener("change", read);
    return () => list.removeEventListener("change", read);
  }, [media]);
  return matches;
}
