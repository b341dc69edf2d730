// Package coding compresses responses with gzip, which every browser and nearly every
// program accepts (RFC 9110, section 12.5.3).
//
// Responses are complete before they are sent, so they are compressed in memory. What is
// kept is compressed once.
//
// Compression also tells something: the length of what is compressed depends on how often
// it repeats itself. Who can have words of their own put into a page, and sees how long the
// encrypted answers are, can guess at a secret in the page letter by letter. That is the
// attack named BREACH. So a response that holds a secret must not be compressed.
package coding
