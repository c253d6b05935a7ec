/** Transpiles a source file so that each of its functions records who called it, across `await`. For `run.mjs`. */
import { transformSync } from "esbuild";
import ts from "typescript-5";

/** The JavaScript of a TypeScript file; functions with a body of statements call `__trace` first. esbuild removes the types. */
export function instrument(text, file) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true);
  const insertions = [];
  const visit = (node) => {
    if (isTraced(node)) {
      const isAsync = node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.AsyncKeyword) === true;
      const name = JSON.stringify(`${file}#${nameOf(node)}`);
      insertions.push([
        node.body.getStart(source) + 1,
        `return __trace(${name}, ${isAsync ? "async " : ""}() => {`,
      ]);
      insertions.push([node.body.end - 1, "});"]);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  insertions.sort(([one], [other]) => one - other);
  const ends = [...insertions.slice(1).map(([at]) => at), text.length];
  const parts = insertions.map(([at, inserted], index) => inserted + text.slice(at, ends[index]));
  const whole = text.slice(0, insertions[0]?.[0]) + parts.join("");
  return transformSync(whole, { loader: "ts", target: "es2022" }).code;
}

/** Functions and methods that are more than an expression. Constructors and generators cannot be wrapped. */
function isTraced(node) {
  const kinds = [
    ts.SyntaxKind.FunctionDeclaration,
    ts.SyntaxKind.MethodDeclaration,
    ts.SyntaxKind.ArrowFunction,
  ];
  return (
    kinds.includes(node.kind) &&
    node.body !== undefined &&
    ts.isBlock(node.body) &&
    node.asteriskToken === undefined &&
    !node.parameters.some(({ name }) => name.text === "this")
  );
}

function nameOf(node) {
  const named = node.name ?? node.parent?.name;
  return named?.text ?? named?.escapedText ?? "(anonymous)";
}
