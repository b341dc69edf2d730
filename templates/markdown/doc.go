// Package markdown gives the texts of posts their meaning.
//
// # The problem
//
// People write posts as they write elsewhere: with lists, code, quotations and links.
// But a text comes from another person. It must not run a script, load anything, look like a
// part of the page around it, or make the page slow or too wide.
//
// # The model
//
// A text is CommonMark, read by goldmark, with strikethrough, tables, tasks, and links that
// are not marked as such. What is stored, edited and compared is always the source; [Render]
// makes HTML of it. Eight rules of this package restrict what a text can do:
//
//   - HTML is not read. Tags appear as they were typed.
//   - A link leads to http, https or mailto. Any other stays as it was typed, and so does
//     what defines it, such as a footnote.
//   - An image is a link to it, so that nothing is loaded.
//   - Links by reference do not make a text many times longer: at some point they are
//     text.
//   - A table has no more cells than characters. Its cells are not aligned. The box of a task
//     is a character.
//   - The headings of a text are below those of the page, and skip no level.
//   - Quotations, lists and brackets nest a few levels deep. The marks of deeper ones appear as they were typed.
//   - A text that takes too much work appears as it was typed, with its line breaks: one of 5,000 characters with
//     more than 800 marks, blocks and cells of tables, about. [RenderOwn] has no such limit.
//
// A newline breaks the line. No HTML is filtered afterwards: the elements and attributes
// that a text can have are those that are written here, and a fuzz target holds it to them.
//
// # What survives failure
//
// Nothing here keeps state, and no text is an error.
package markdown
