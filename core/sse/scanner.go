package sse

import "github.com/tuttinode/tutti/core/inference"

// Scanner watches a stream of events that passes by. The zero value is ready.
// How the stream is cut into pieces makes no difference; lines may have any
// length; no more is kept than the form of one short event.
type Scanner struct {
	parser  parser
	offset  int64
	border  int64
	events  int
	content int
	usage   inference.Usage

	reported, done, finished, failed, broken, answered bool
}

// Feed takes the stream's next bytes.
func (s *Scanner) Feed(p []byte) {
	for len(p) > 0 {
		n, ended := s.parser.next(p)
		p = p[n:]
		s.advance(n, ended)
	}
}

// advance books n bytes that were parsed, and the event that ended with them.
func (s *Scanner) advance(n int, ended bool) event {
	s.offset += int64(n)
	if !ended {
		return event{}
	}
	s.border = s.offset
	return s.record()
}

func (s *Scanner) record() event {
	e := s.parser.take()
	s.failed = s.failed || e.failed
	s.broken = s.broken || e.broken
	s.answered = s.answered || e.message
	switch {
	case !e.data:
		return e
	case e.done:
		s.done = true
		return e
	}
	s.events++
	if e.content {
		s.content++
	}
	if e.hasUsage {
		s.usage, s.reported = e.usage, true
	}
	s.finished = s.finished || e.finished
	return e
}

// End says that the stream has ended: a last event without its empty line is
// taken as one.
func (s *Scanner) End() {
	s.parser.end()
	if s.parser.data || s.parser.failed {
		s.record()
	}
}

// Events returns the number of events with data, [DONE] not counted.
func (s *Scanner) Events() int { return s.events }

// Content returns the number of events that carried text, reasoning or tool calls.
func (s *Scanner) Content() int { return s.content }

// ReportedUsage returns the last usage in the stream, and whether there was any.
func (s *Scanner) ReportedUsage() (inference.Usage, bool) { return s.usage, s.reported }

// Usage returns the usage that the stream reported; without any report, the events
// with content stand for a token each, and the prompt is not known.
func (s *Scanner) Usage() inference.Usage {
	if s.reported {
		return s.usage
	}
	return inference.Usage{Completion: inference.Tokens(s.content), Estimated: true}
}

// Done reports whether [DONE] was seen.
func (s *Scanner) Done() bool { return s.done }

// Finished reports whether some choice had a finish reason.
func (s *Scanner) Finished() bool { return s.finished }

// Failed reports whether an event reported an error.
func (s *Scanner) Failed() bool { return s.failed }

// Broken reports whether an event had data that is neither one JSON object nor [DONE].
func (s *Scanner) Broken() bool { return s.broken }

// Answered reports whether some choice had a message, a delta or a text, however short.
func (s *Scanner) Answered() bool { return s.answered }

// Border returns the number of bytes up to the end of the last whole event.
func (s *Scanner) Border() int64 { return s.border }

// AtBorder reports whether the stream so far ends between two events, so that
// one of our own may follow. Else the cut one is to be ended first, by two line
// feeds.
func (s *Scanner) AtBorder() bool { return s.parser.clean() || s.afterReturn() }

// afterReturn: the last byte was the carriage return of an empty line, which is
// complete, only not known to be.
func (s *Scanner) afterReturn() bool {
	return s.parser.cr && s.parser.line == lineStart
}
