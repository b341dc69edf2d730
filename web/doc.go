// Package web is the web role: HTML pages for people, and a JSON API under
// /api/v1 for programs.
//
// # The problem
//
// Two audiences ask the same questions, and must get the same answers with the
// same status. Some of what they send is damaged, stale, oversized or forged;
// the store may not answer; and any process of several may get the next request.
//
// # The model
//
// One file per noun holds its routes and, in their order, its handlers: parse,
// call, respond. Files named api_… answer in JSON, files named page_… in HTML.
// A handler names the few methods that it needs from the store and returns an
// error if it cannot answer; [New] wires them together. One function maps what
// an error means to a status and words (problemOf), and one place writes that
// down, as application/problem+json or as a page. A stranger sees those words
// and the id of the request; the cause goes to the log, once, under the same id.
//
// # What survives failure
//
// Nothing is kept here: no session, no count, no lock. Each request is decided
// by what the store holds, so that processes may come and go, and a response
// is rendered whole before its first byte is sent.
package web
