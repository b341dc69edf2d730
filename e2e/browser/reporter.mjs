// A reporter for node's test runner. It writes a line of JSON for each test that
// has ended and for each output of a test. ../browser_test.go reads them.

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
        // A hook can fail for a test that was not asked for, and then node fails.
        if (type === "test:pass" && data.skip === "test name does not match pattern") break;
        if (data.details.type !== "suite" || hookFailed(data.details.error)) {
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
        break;
      case "test:diagnostic":
        // What a test left behind failed after its end.
        if (/error|warning/i.test(data.message)) yield line({ output: data.message });
    }
  }
}

// A suite fails when one of its tests fails, which was reported before, or when a
// hook of its own fails.
function hookFailed(error) {
  return error !== undefined && error.failureType !== "subtestsFailed";
}

function line(record) {
  return JSON.stringify(record) + "\n";
}

// why returns the stack of an error without node's own frames.
function why(error) {
  const cause = error.cause ?? error;
  const stack = cause.stack ?? inspect(cause);
  return stack.split("\n").filter((frame) => !frame.includes("(node:")).join("\n");
}
