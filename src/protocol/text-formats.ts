/** The formats of JSON Schema that a text argument may have, each as a pattern that is matched in linear time. */
const formats: { readonly [format: string]: string } = {
  date: "^\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])$",
  "date-time":
    "^\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])[Tt](?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d{1,9})?(?:[Zz]|[+-](?:[01]\\d|2[0-3]):[0-5]\\d)$",
  email: "^[^\\s@]{1,64}@[^\\s@]{1,255}$",
  uuid: "^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$",
};

export function formatPattern(format: string | null): string | undefined {
  return format === null ? undefined : formats[format];
}
