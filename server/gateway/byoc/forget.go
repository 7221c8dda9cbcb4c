package byoc

import "time"

// forgetLocked forgets streams that ended a while ago, and earlier those of a client that begins one, and of all, that
// are too many to be remembered: streams that ended keep no client from beginning one. The caller holds s.mu.
func (s *Server) forgetLocked(c caller) {
	forgotten := s.o.Now().Add(-s.o.Limits.Remember)
	for id, old := range s.streams {
		if end := old.ended(); !end.IsZero() && end.Before(forgotten) {
			delete(s.streams, id)
		}
	}
	most := int64(2 * s.o.Limits.Streams)
	s.forgetOldestLocked(c.share(most), func(st *stream) bool { return st.client.name == c.name })
	s.forgetOldestLocked(most, func(*stream) bool { return true })
}

// forgetOldestLocked forgets the streams of a kind that ended first, until fewer than most are remembered.
func (s *Server) forgetOldestLocked(most int64, kind func(*stream) bool) {
	for {
		ended, oldest, at := int64(0), "", time.Time{}
		for id, st := range s.streams {
			end := st.ended()
			if end.IsZero() || !kind(st) {
				continue
			}
			if ended++; oldest == "" || end.Before(at) {
				oldest, at = id, end
			}
		}
		if ended < most {
			return
		}
		delete(s.streams, oldest)
	}
}
