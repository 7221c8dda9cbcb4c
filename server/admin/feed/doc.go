// Package feed sends one changing document to many readers: whole to begin with, then
// the fields that changed. However many read, the document is made once per interval,
// and only while there are readers.
//
// It knows nothing of what is in the document, and no HTTP but the form of its events.
// server/admin makes a Feed of the dashboard, runs it with the listener, and gives its
// readers to requests.
package feed
