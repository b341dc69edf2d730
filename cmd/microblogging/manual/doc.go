// Package manual makes the manual page and the completions of shells from the model of
// a command line.
//
// # The problem
//
// A manual that is written beside the command line says something else after a while. The
// command line already has a description of itself: --help is made of it.
//
// # The model
//
// [Page] and [Completion] read that description, and nothing else. Their text depends on it
// alone, so that two builds of one commit are equal byte by byte. What is hidden from --help
// is hidden here too.
//
// The completions are scripts. They know the commands, the flags, and the values of a flag
// that has few. They do not run the program.
//
// # What survives failure
//
// Nothing is kept, and nothing can fail but the name of the shell.
package manual
