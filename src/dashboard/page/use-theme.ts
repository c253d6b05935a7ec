/** Whether the system asks for dark colours. The styles follow by themselves; a canvas must be drawn anew. */
import { useEffect, useState } from "preact/hooks";

const query = matchMedia("(prefers-color-scheme: dark)");

export function useDarkTheme(): boolean {
  const [dark, setDark] = useState(query.matches);
  useEffect(() => {
    const changed = () => setDark(query.matches);
    query.addEventListener("change", changed);
    return () => query.removeEventListener("change", changed);
  }, []);
  return dark;
}
