// Package coding compresses responses, in the content coding that a client accepts best.
//
// # The problem
//
// A page of HTML is a quarter as long when it is compressed. A client says which codings
// it accepts, and how much it likes each (RFC 9110, section 12.5.3). Compression also tells
// something: the length of what is compressed depends on how often it repeats itself. Who
// can make a browser ask for a page with words of their own in it, and sees how long the
// encrypted answers are, can guess at a secret in the page letter by letter. That is the
// attack named BREACH.
//
// # The model
//
// Responses are complete before they are sent, so they are compressed in memory.
// [Accepted] chooses the coding. [Coding.Public] is for what is the same for everybody; its
// result can be kept. [Coding.Personal] is for all else: it makes the answer longer by 1 to
// 32 bytes. How many is a hash of the content, of its first 64 KiB, which the attacker does not
// know. A page with a random key in it would have another length each time, and its mean would
// tell the length without the padding; [Splice] leaves the key out of the hash. The package
// keeps no state but the memory of the compressors.
package coding
