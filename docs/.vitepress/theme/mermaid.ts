/** Draws a block of Mermaid. Mermaid is loaded only on a page that has one; until then its text is shown. */
import script from "@mermaid-js/tiny/dist/mermaid.tiny.js?url";
import { useData } from "vitepress";
import { defineComponent, h, onMounted, ref, watch } from "vue";

interface Mermaid {
  initialize(options: object): void;
  render(id: string, code: string): Promise<{ svg: string }>;
}

/** How much a diagram may be shrunk to fit. */
const SMALLEST = 0.65;

let loading: Promise<Mermaid> | undefined;
let count = 0;

/** The build of Mermaid is a classic script that sets a global name. */
function load(): Promise<Mermaid> {
  loading ??= new Promise((resolve, reject) => {
    const element = document.createElement("script");
    element.src = script;
    element.onload = () => resolve((globalThis as unknown as { mermaid: Mermaid }).mermaid);
    element.onerror = () => reject(new Error("Mermaid could not be loaded"));
    document.head.append(element);
  });
  return loading;
}

export const MermaidDiagram = defineComponent({
  props: { code: { type: String, required: true } },
  setup({ code }) {
    const { isDark } = useData();
    const svg = ref("");
    const text = decodeURIComponent(code);
    const id = `diagram-${count++}`;
    async function draw() {
      const mermaid = await load();
      mermaid.initialize({
        startOnLoad: false,
        securityLevel: "strict",
        theme: isDark.value ? "dark" : "neutral",
        // Labels on lines stand on the ground of the page.
        themeVariables: { edgeLabelBackground: isDark.value ? "#1b1b1f" : "#ffffff" },
        fontFamily: "inherit",
      });
      const drawn = (await mermaid.render(id, text)).svg;
      // A wide diagram is scrolled rather than shrunk until nobody can read it.
      const width = Number(/viewBox="\S+ \S+ (\S+)/.exec(drawn)?.[1] ?? 0);
      svg.value = drawn.replace('style="', `style="min-width: ${Math.round(width * SMALLEST)}px; `);
    }
    onMounted(draw);
    watch(isDark, draw);
    return () =>
      svg.value === ""
        ? h("pre", { class: "diagram", tabindex: 0 }, text)
        : h("div", { class: "diagram", tabindex: 0, innerHTML: svg.value });
  },
});
