// Package snapshot reads and writes the file of a backup.
//
// # The problem
//
// A backup is written once, perhaps over a network by a program that may die, and is read
// years later by another version of the program. Whoever restores it must know, before
// anything is written, whether the file is whole and is what was written.
//
// # The model
//
// A file is a head, sections, and an end. A section is a bucket of the embedded store: a
// name, a number, and keys with values. What they mean is the store's business; the head
// has the version of its schema. In bytes:
//
//	magic     "MicroBlogging backup 1\n", the number is the version of this format
//	blocks    each: kind 1 byte, length 4 bytes big endian, as many bytes
//
// The blocks are, in this order:
//
//	h   the head, as JSON
//	s   a section: its number, 8 bytes big endian, and its name
//	r   rows of the section, compressed with zstd: each is the length of the key (uvarint),
//	    the key, the length of the value (uvarint), the value
//	e   the end: how many rows there are, 8 bytes big endian, and the SHA-256 of all bytes
//	    before itself
//
// In the place of the end there may be a block of kind x: why the file was given up, as a
// text for people.
//
// # What survives failure
//
// Only a file with its end is whole. A file that was cut short, has a byte changed, cannot be
// unpacked, or goes on after its end, is refused by Verify and by Each. The sum finds accidents; it is
// no signature, so whoever can write the file can forge it.
package snapshot
