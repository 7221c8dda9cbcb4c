package live

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/access"
)

const (
	// maxForm bounds the form of a start.
	maxForm = 64 << 10
	// maxApart bounds the parameter sets that wait for a picture.
	maxApart = 8
	opStart  = "start live stream"
)

// serveStart takes the call of a media server that has a publisher, and reads the publisher's stream from it.
func (s *Server) serveStart(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		wrongMethod(w, r)
		return
	}
	by, err := s.mayPublish(r, unknown(r))
	if err != nil {
		refuse(w, err)
		return
	}
	c, text, err := s.readStart(w, r)
	switch {
	case err != nil:
		refuse(w, err)
		return
	case text != "":
		http.Error(w, text, http.StatusBadRequest)
		return
	case strings.HasSuffix(c.name, "-out"):
		return // a result that was sent to the media server
	}
	st, err := s.newStream(by, c.name, r.Host, requestNumber, c.query)
	if err == nil {
		err = s.admit(r.Context(), publisherOf(r, c.name, c.query), st, c.kind, r.FormValue("query"))
	}
	if err == nil {
		err = s.launchPull(st, c)
	}
	if err != nil {
		if c.api != nil && errors.Is(err, fault.StreamDenied) {
			s.kick(c.api)
		}
		refuseStream(w, err)
		return
	}
	select {
	case <-st.tried:
	case <-st.done:
	case <-r.Context().Done():
	}
}

// startCall is a media server's call.
type startCall struct {
	name, kind string
	query      url.Values
	// source is where the stream is read, caller the address of the media server. own: no address is refused.
	source *url.URL
	caller netip.Addr
	own    bool
	// api is the media server's; nil for a caller that does not get its password.
	api *mediaServer
}

// readStart reads a call. text says what is wrong with its form.
func (s *Server) readStart(w http.ResponseWriter, r *http.Request) (c *startCall, text string, err error) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	id, kind := r.FormValue("source_id"), strings.ToLower(r.FormValue("source_type"))
	c = &startCall{name: r.PathValue("stream")}
	switch {
	case id == "":
		return nil, "Missing source_id", nil
	case kind == "":
		return nil, "Missing source_type", nil
	case kind == "rtmpconn":
		c.kind = kindRTMP
	case kind == "webrtcsession":
		c.kind = kindWHIP
	default:
		return nil, "unknown media source", nil
	}
	c.query, _ = url.ParseQuery(r.FormValue("query")) // what can be read counts, as in addresses
	if why := checkPublisher(c.name, c.query); why == textParams {
		return nil, "Invalid model params", nil
	} else if why != "" {
		return nil, why, nil
	}
	if !named(r.PathValue("prefix"), maxName) || !named(id, maxName) {
		return nil, textMalformed, nil
	}
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || access.Forwarded(r) {
		return nil, "", fault.New(fault.MediaAddressRefused, opStart, "the media server calls through a proxy, so its "+
			"address is not known")
	}
	c.caller = peer.Addr().Unmap()
	if c.source, err = sourceOf(r.FormValue("rtmp_url"), c.caller, r.PathValue("prefix"), c.name); err != nil {
		return nil, "", err
	}
	// An API key is a client's: the API's password, which is good for all publishers there, is none of its business.
	if c.own, _ = s.owner(r); c.own || c.caller.IsLoopback() || c.caller.IsPrivate() ||
		s.o.MediaNetworks.Contain(c.caller) {
		c.api = s.mediaServer(c.caller, c.kind, id)
	}
	return c, "", nil
}

// sourceOf is the address at which a stream is read: the one that the caller names, or the caller's own.
func sourceOf(named string, caller netip.Addr, prefix, name string) (*url.URL, error) {
	if named != "" {
		return parseMedia(named)
	}
	host := caller.WithZone("").String()
	if caller.Is6() {
		host = "[" + host + "]"
	}
	u := &url.URL{Scheme: "rtmp", Host: host, Path: "/" + name}
	if prefix != "" {
		u.Path = "/" + prefix + "/" + name
	}
	return parseMedia(u.String())
}

// owner decides about requests that make this gateway connect elsewhere. machine: it is this machine's.
func (s *Server) owner(r *http.Request) (machine bool, err error) {
	if s.o.Access == nil {
		return true, nil
	}
	return s.o.Access.Owner(r)
}

// launchPull makes a stream known and reads it from its media server. The error is a fault.
func (s *Server) launchPull(st *stream, c *startCall) error {
	begin, cancel := context.WithTimeout(s.ctx, rtmpWithin)
	defer cancel()
	if _, err := s.reach(begin, c.source, c.caller, c.own); err != nil {
		return err
	}
	ctx, stop := context.WithCancelCause(s.ctx)
	st.stop = stop
	if err := s.add(st); err != nil {
		stop(nil)
		return err
	}
	st.seg.Touch()
	s.start(ctx, st, func() { st.pull(ctx, c, s.o.Now(), stop) }, func() { s.dismiss(c, context.Cause(ctx)) })
	return nil
}

// dismiss ends the publisher of a stream that ended for another reason than its publisher.
func (s *Server) dismiss(c *startCall, why error) {
	if c.api != nil && !errors.Is(why, errPublisherGone) && !errors.Is(why, errReplaced) && !errors.Is(why, errStopping) {
		s.kick(c.api)
	}
}

// pull reads the stream from a media server, again and again while that one has it, until ctx ends, which stop makes
// it do. Its times count from began.
func (st *stream) pull(ctx context.Context, c *startCall, began time.Time, stop context.CancelCauseFunc) {
	var reader sync.WaitGroup
	reader.Go(func() { st.pulls(ctx, c, began, stop) })
	st.awaitSilence(ctx, stop)
	reader.Wait()
}

func (st *stream) pulls(ctx context.Context, c *startCall, began time.Time, stop context.CancelCauseFunc) {
	s := st.srv
	for {
		if c.api != nil && !c.api.present(ctx) {
			stop(errPublisherGone)
			return
		}
		addr, err := s.reach(ctx, c.source, c.caller, c.own)
		if err == nil {
			err = s.o.Puller.Pull(ctx, c.source, addr, &pulled{st: st, began: began})
		}
		if ctx.Err() != nil {
			return
		}
		s.o.Log.Info("a media server's stream ended", "stream", st.id, "err", err)
		if c.api == nil {
			stop(errPublisherGone)
			return
		}
		again := time.NewTimer(s.o.Limits.PullAgain)
		select {
		case <-again.C:
		case <-ctx.Done():
			again.Stop()
			return
		}
	}
}

// pulled is what comes from a media server in one connection. It implements Media.
type pulled struct {
	st    *stream
	began time.Time
	// base is added to the source's times, once set.
	base    int64
	started bool
	// apart are parameter sets that came without a picture.
	apart [][]byte
}

// Sound says what the sound is coded with.
func (p *pulled) Sound(codec AudioCodec) { p.st.seg.SetSound(codec) }

// Video takes a picture.
func (p *pulled) Video(pts, dts int64, unit [][]byte) {
	if !slices.ContainsFunc(unit, isSlice) {
		// Parameter sets that come apart are with the next key frame.
		p.apart = append(p.apart, unit...)
		p.apart = p.apart[max(0, len(p.apart)-maxApart):]
		return
	}
	if !p.started {
		p.started, p.base = true, p.st.since(p.began)-dts
	}
	unit, p.apart = append(p.apart, unit...), nil
	p.st.seg.Video(pts+p.base, dts+p.base, unit, true)
}

// isSlice reports whether a part of a picture is no parameter set or the like.
func isSlice(nalu []byte) bool { return len(nalu) > 0 && nalu[0]&0x1f >= 1 && nalu[0]&0x1f <= 5 }

// Audio takes a piece of sound. Before the first picture there is nothing to add it to.
func (p *pulled) Audio(pts int64, packet []byte) {
	if p.started {
		p.st.seg.Sound(pts+p.base, packet)
	}
}
