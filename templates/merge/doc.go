// Package merge puts two changes of one text together.
//
// # The problem
//
// An author changes a text in two tabs. The second save must lose neither change, and the
// author must see the merged text before it is saved.
//
// # The model
//
// [Texts] is a three-way merge, as version control does it, but of words: the text that both
// changes began with says which of two versions is the new one at each place. Places that
// only one side changed take that change. Places where the changes overlap or touch keep
// both, and are a clash. A comparison of two texts is a merge in which one side changed nothing.
//
// # What survives failure
//
// Nothing here keeps state. A comparison that takes too long is coarse, and still right.
package merge
