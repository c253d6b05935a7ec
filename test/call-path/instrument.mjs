/** Transpiles a source file so that each of its functions records who called it, across `await`. For `run.mjs`. */
import { transformSync } from "esbuild";
import ts from "typescript-5";

const printer = ts.createPrinter();

/**
 * The JavaScript of a TypeScript file; functions with a body of statements call `__trace` first. TypeScript only parses and
 * prints, and esbuild removes the types: `transpileModule` takes three times as long.
 */
export function instrument(text, file) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true);
  const { transformed } = ts.transform(source, [(context) => (whole) => traced(whole, context, file)]);
  return transformSync(printer.printFile(transformed[0]), { loader: "ts", target: "es2022" }).code;
}

function traced(source, context, file) {
  const { factory } = context;
  const visit = (node) => {
    const visited = ts.visitEachChild(node, visit, context);
    if (!isTraced(node)) return visited;
    const isAsync = node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.AsyncKeyword) === true;
    const inner = factory.createArrowFunction(
      isAsync ? [factory.createModifier(ts.SyntaxKind.AsyncKeyword)] : undefined,
      ...[undefined, [], undefined, undefined, visited.body],
    );
    const name = factory.createStringLiteral(`${file}#${nameOf(node)}`);
    const call = factory.createCallExpression(factory.createIdentifier("__trace"), undefined, [name, inner]);
    return withBody(visited, factory.createBlock([factory.createReturnStatement(call)]), factory);
  };
  return ts.visitNode(source, visit);
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

function withBody(node, body, factory) {
  if (ts.isFunctionDeclaration(node))
    return factory.updateFunctionDeclaration(
      ...[node, node.modifiers, node.asteriskToken, node.name, node.typeParameters, node.parameters],
      ...[node.type, body],
    );
  if (ts.isMethodDeclaration(node))
    return factory.updateMethodDeclaration(
      ...[node, node.modifiers, node.asteriskToken, node.name, node.questionToken, node.typeParameters],
      ...[node.parameters, node.type, body],
    );
  return factory.updateArrowFunction(
    ...[node, node.modifiers, node.typeParameters, node.parameters, node.type],
    ...[node.equalsGreaterThanToken, body],
  );
}
