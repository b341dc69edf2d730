// Package web is the web role: HTML pages for people, a JSON API under /api/v1 for
// programs, and feeds for feed readers.
//
// # The problem
//
// Pages and API answer the same questions, and must give the same answer with the same
// status. Requests may be damaged, stale, oversized or forged. A reply may be lost, so
// that a client sends its request again. The store may not answer. The next request of
// a client may reach another process.
//
// # The model
//
// routes.go lists the routes, with who may use each. (A subject that could be taken out has its
// own in its file.) A file is about one subject, such as channel.go, and has its pages and its API
// side by side: both parse a request and call the same action, then one redirects with a notice and
// the other answers with a status. One function maps each error to a status and words (problem.go),
// and one sends them, as application/problem+json or as a page. The client sees these words and the
// id of the request. The log gets the cause, once, under the same id.
//
// All handlers are methods of server, which [New] makes. A handler gets its visitor, and the channel
// if its route is about one (channel_route.go); it calls the store, and sends a whole answer or returns
// an error. What a channel shows is kept by its version (cache.go).
//
// A request that changes something says what its client saw: an edit carries the version
// that its author read (an entity tag), each form about a channel the incarnation that its
// reader saw, and a post an idempotency key. The store checks them together with the write.
//
// # What survives failure
//
// This package keeps no state that matters: no session and no lock. It counts its open event
// streams, bodies, answers and batches and the writes of the last minutes, to refuse what is too much,
// and forgets that with the process. The store decides each request, so processes can come and go
// at any time. A client whose reply was lost can send its request again: a post with the same
// idempotency key is made once, and an edit, a vote, a subscription or a deletion that is repeated
// changes nothing more. A response is rendered whole before its first byte is sent, so a failure
// never leaves half a page. Only event streams, which a browser opens again, and exports are sent in
// pieces (stream.go). They look at their session again, at least each five seconds, and end with it.
package web
