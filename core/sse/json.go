package sse

import "github.com/tuttinode/tutti/core/inference"

// JSONScanner watches an answer that is one JSON object, which may pass in
// pieces. The zero value is ready.
type JSONScanner struct{ walker walker }

// Feed takes the answer's next bytes.
func (s *JSONScanner) Feed(p []byte) { s.walker.feed(p) }

// ReportedUsage returns the usage so far, and whether there was any.
func (s *JSONScanner) ReportedUsage() (inference.Usage, bool) {
	return s.walker.usage, s.walker.hasUsage && !s.walker.bad
}

// Complete reports whether the whole object has passed.
func (s *JSONScanner) Complete() bool { return s.walker.complete() }

// Failed reports whether the answer has an error.
func (s *JSONScanner) Failed() bool { return s.walker.failed }

// Chat reports whether the answer has a choice with a message or a text.
func (s *JSONScanner) Chat() bool { return s.walker.message }

// HasObject reports whether the answer has a field "object", as OpenAI's do.
func (s *JSONScanner) HasObject() bool { return s.walker.hasObject }

// Vectors returns how many embeddings the answer has that are not empty.
func (s *JSONScanner) Vectors() int { return s.walker.vectors }

// Scores returns how many relevance scores the answer has.
func (s *JSONScanner) Scores() int { return s.walker.scores }

// Text reports whether the answer has a text or masks of its own, as those of pipelines
// that look at media.
func (s *JSONScanner) Text() bool { return s.walker.text }

// ScanJSON returns the usage in an answer that is one JSON object, and whether there
// was any.
func ScanJSON(body []byte) (inference.Usage, bool) {
	var s JSONScanner
	s.Feed(body)
	return s.ReportedUsage()
}
