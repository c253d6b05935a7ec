/** The icons of the navigation: lines on a grid of 20. They repeat what the text beside them says. */
import type { JSX } from "preact";

const paths: { [name: string]: string } = {
  brand: "M6 5.5 2.5 10 6 14.5M14 5.5 17.5 10 14 14.5M7.5 10h5M10.5 8l2 2-2 2",
  servers: "M3 4h14v5H3zM3 11h14v5H3zM6 6.5h.01M6 13.5h.01",
  sessions: "M3 4h14v9H9l-4 3.5V13H3zM6.5 7.5h7M6.5 10h4",
  calls: "M3 5h14M3 10h14M3 15h9",
  charts: "M3 3v14h14M6 12.5l3.5-4 3 2.5L17 5.5",
  playground: "M6 4l9.5 6L6 16z",
  "set-up": "M3 6h7M14 6h3M3 14h3M10 14h7M12 4v4M8 12v4",
};

export function Icon({ name }: { name: string }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 20 20" aria-hidden="true">
      <path d={paths[name] ?? ""} />
    </svg>
  );
}
