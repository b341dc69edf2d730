// One line of JSON for each test that has ended, and for each line that one has
// written. The Go test reads them.

import { inspect } from "node:util";

export default async function* report(events) {
  const suites = new Map();
  for await (const { type, data } of events) {
    switch (type) {
      case "test:start": {
        const path = suites.get(data.file)?.slice(0, data.nesting) ?? [];
        suites.set(data.file, [...path, data.name]);
        break;
      }
      case "test:pass":
      case "test:fail":
        if (data.skip === "test name does not match pattern") break;
        if (data.details.type !== "suite" || failedByItself(data.details.error)) {
          yield line({
            name: [...(suites.get(data.file) ?? []).slice(0, data.nesting), data.name].join("/"),
            milliseconds: Math.round(data.details.duration_ms),
            skipped: Boolean(data.skip ?? data.todo),
            failure: type === "test:fail" ? why(data.details.error) : "",
          });
        }
        break;
      case "test:stdout":
      case "test:stderr":
        yield line({ output: data.message });
    }
  }
}

// A suite also fails by its tests, which have been reported, or by a hook.
function failedByItself(error) {
  return error !== undefined && error.failureType !== "subtestsFailed";
}

function line(record) {
  return JSON.stringify(record) + "\n";
}

// why leaves out what is node's own.
function why(error) {
  const cause = error.cause ?? error;
  const stack = cause.stack ?? inspect(cause);
  return stack.split("\n").filter((frame) => !frame.includes("(node:")).join("\n");
}
