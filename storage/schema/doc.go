// Package schema defines every kind of row, once: in which table it is, how its keys are made and
// read, which properties it has, what people call it and what it is for.
//
// # The model
//
// Only this package makes a partition key or a row key. A [Kind] says the form of both.
// What varies in a form is in angle brackets:
//
//	<back>         19 digits that count down with time
//	<digit>        a hex digit: an index that is spread over up to 16 partitions
//	<hash>         64 hex digits: SHA-256
//	<id>           a post: 19 digits that count down with time, "!", 26 random characters
//	<incarnation>  26 random characters of A-Z and 2-7
//	<inverted>     10 digits: 9999999999 minus the rating
//	<key>          a channel: its folded name, such as "garden"; in Deletions also an account: "@ann"
//	<revision>     26 random characters
//	<user>         a user name in lower case
//	<what>         what is counted: see ThrottlePartition
//
// Rows of different kinds share a partition of Blogs so that one transaction can span them.
// In its row keys, each part that varies has a fixed width or ends the key. So the keys sort
// as they are meant to.
//
// Whatever tells of rows reads this package: the operations, a check, the pages that show
// rows and calls, the lab.
package schema
