package byoc

import "time"

// forgetLocked forgets streams that ended longer than Limits.Remember ago. If too many ended streams are remembered, of
// the client c or of all clients, it also forgets the ones that ended first. So ended streams never keep a client from
// beginning another. The caller holds s.mu.
func (s *Server) forgetLocked(c caller) {
	before := s.o.Now().Add(-s.o.Limits.Remember)
	for id, old := range s.streams {
		if end := old.ended(); !end.IsZero() && end.Before(before) {
			delete(s.streams, id)
		}
	}
	most := int64(2 * s.o.Limits.Streams)
	s.forgetOldestLocked(c.share(most), func(st *stream) bool { return st.client.name == c.name })
	s.forgetOldestLocked(most, func(*stream) bool { return true })
}

// forgetOldestLocked forgets the matching streams that ended first, until fewer than most ended ones are remembered.
func (s *Server) forgetOldestLocked(most int64, match func(*stream) bool) {
	for {
		ended, oldest, at := int64(0), "", time.Time{}
		for id, st := range s.streams {
			end := st.ended()
			if end.IsZero() || !match(st) {
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
