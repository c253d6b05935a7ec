/** One argument of a tool: a label, the control for its type, what it means, and what is wrong with it. */
import type { JSX } from "preact";
import { Foreign, visible } from "../parts/foreign.js";
import type { Field } from "../schema-fields.js";

interface FieldInputProps {
  field: Field;
  value: string;
  wrong: string | undefined;
  onChange: (value: string) => void;
}

export function FieldInput({ field, value, wrong, onChange }: FieldInputProps): JSX.Element {
  const { name, kind, required, hint } = field;
  const id = `field-${name}`;
  const described = [hint !== "" && `${id}-hint`, wrong !== undefined && `${id}-wrong`]
    .filter(Boolean)
    .join(" ");
  return (
    <div class={kind === "number" ? "field half" : "field"}>
      <label for={id}>
        <Foreign text={name} />
        {required && <span class="muted"> required</span>}
      </label>
      <Control
        field={field}
        common={{
          id,
          value,
          "aria-required": required,
          "aria-invalid": wrong !== undefined,
          "aria-describedby": described === "" ? undefined : described,
        }}
        onChange={onChange}
      />
      {hint !== "" && (
        <p class="hint" id={`${id}-hint`}>
          <Foreign text={hint} />
          {kind === "lines" && " One in each line."}
          {kind === "json" && " As JSON."}
        </p>
      )}
      {wrong !== undefined && (
        <p class="wrong" id={`${id}-wrong`}>
          {wrong}
        </p>
      )}
    </div>
  );
}

interface ControlProps {
  field: Field;
  common: {
    id: string;
    value: string;
    "aria-required": boolean;
    "aria-invalid": boolean;
    "aria-describedby": string | undefined;
  };
  onChange: (value: string) => void;
}

function Control({ field: { kind, options, defaultText }, common, onChange }: ControlProps): JSX.Element {
  if (kind === "choice")
    return (
      <select {...common} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        <option value="">{defaultText === "" ? "not given" : `not given (${visible(defaultText)})`}</option>
        {options.map((option) => (
          <option key={option} value={option}>
            {visible(option.replace(/^"(.*)"$/, "$1"))}
          </option>
        ))}
      </select>
    );
  if (kind === "lines" || kind === "json")
    return (
      <textarea
        {...common}
        class="mono"
        rows={3}
        spellcheck={false}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
    );
  return (
    <input
      {...common}
      type="text"
      inputMode={kind === "number" ? "numeric" : "text"}
      class="mono"
      spellcheck={false}
      autoComplete="off"
      autoCapitalize="off"
      placeholder={visible(defaultText)}
      onInput={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}
