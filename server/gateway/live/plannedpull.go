package live

import (
	"context"
	"net/http"

	"github.com/tuttinode/tutti/core/fault"
)

// ServeStart takes the call of a media server that has a publisher for the stream. It reads the stream from there, as
// after calls for other streams, in the place of the publisher before; its end does not end the stream. The caller has
// decided that the client may publish. The stream's id is what the media server calls it.
func (h *Handle) ServeStart(w http.ResponseWriter, r *http.Request) {
	st, s := h.s, h.s.srv
	if r.Method != http.MethodPost {
		wrongMethod(w, r)
		return
	}
	if st.over() || st.plan.ctx.Err() != nil {
		http.Error(w, textNoStream, http.StatusNotFound)
		return
	}
	r.SetPathValue("stream", st.id)
	c, text, err := s.readStart(w, r)
	if text != "" {
		http.Error(w, text, http.StatusBadRequest)
		return
	}
	if err == nil {
		err = st.feedFrom(r.Context(), c)
	}
	if err != nil {
		refuse(w, err)
	}
}

// feedFrom feeds a planned stream from a media server. The error is a fault.
func (s *stream) feedFrom(ctx context.Context, c *startCall) error {
	if s.srv.o.Puller == nil {
		return fault.New(fault.RouteNotFound, opStart, "this gateway reads from no media server")
	}
	ctx, cancel := context.WithTimeout(ctx, rtmpWithin)
	defer cancel()
	if _, err := s.srv.reach(ctx, c.source, c.caller, c.own); err != nil {
		return err
	}
	next := s.nextPublisher()
	s.follow(next, func() {
		s.seg.Touch()
		s.pull(next.ctx, c, s.plan.mediaBegan(s.srv.o.Now()), next.stop)
	}, func() { s.srv.dismiss(c, context.Cause(next.ctx)) })
	return nil
}
