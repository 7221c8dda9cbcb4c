package live

import (
	"bytes"
	"context"
	_ "embed" // the test card
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"github.com/bluenviron/gortmplib"
	"github.com/bluenviron/gortsplib/v5/pkg/format"
	"github.com/bluenviron/mediacommon/v2/pkg/codecs/h264"
	"github.com/bluenviron/mediacommon/v2/pkg/formats/mpegts"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/access"
)

const (
	// smokeTime is how long the test card is sent, unless the request says otherwise; maxSmokeTime at most.
	smokeTime    = 5 * time.Minute
	maxSmokeTime = time.Hour
	// maxSmokeTests bounds tests at once, those of this machine and those of keys.
	maxSmokeTests = 2
	// ownTests is the client of this machine's tests.
	ownTests = "machine"
	// cardRate is how many pictures of the card are sent in a second.
	cardRate = 30
)

//go:embed card/card.ts
var card []byte // Read-only.

// serveSmokeTest sends a test card to a media server.
func (s *Server) serveSmokeTest(w http.ResponseWriter, r *http.Request) {
	own, err := s.owner(r)
	if err != nil {
		refuse(w, err)
		return
	}
	if r.Method != http.MethodPut {
		http.Error(w, "Method not allowed", http.StatusMethodNotAllowed)
		return
	}
	var ask struct {
		URL     string `json:"stream_url"`
		Seconds int    `json:"duration_secs"`
	}
	data, err := readBody(w, r, maxForm)
	if err != nil {
		refuse(w, err)
		return
	}
	switch err := json.Unmarshal(data, &ask); {
	case err != nil && len(data) > 0:
		http.Error(w, "Invalid request", http.StatusBadRequest)
		return
	case ask.URL == "":
		http.Error(w, "Missing stream url", http.StatusBadRequest)
		return
	case ask.Seconds < 0 || ask.Seconds > int(maxSmokeTime/time.Second):
		http.Error(w, "Request exceeds max duration "+maxSmokeTime.String(), http.StatusBadRequest)
		return
	}
	last := smokeTime
	if ask.Seconds > 0 {
		last = time.Duration(ask.Seconds) * time.Second
	}
	var caller netip.Addr
	if peer, err := netip.ParseAddrPort(r.RemoteAddr); err == nil && !access.Forwarded(r) {
		caller = peer.Addr().Unmap()
	}
	by := ownTests
	if !own {
		by = s.clientOf(r, netip.Prefix{}).name
	}
	if err := s.smokeTest(r.Context(), ask.URL, last, caller, by); err != nil {
		refuse(w, err)
	}
}

// takeTest takes a slot for a test. This machine has slots of its own, and each key one.
func (s *Server) takeTest(by string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	most, keys := maxSmokeTests, 0
	for name, n := range s.smoke {
		if name != ownTests {
			keys += n
		}
	}
	if by != ownTests {
		most = 1
	}
	if s.smoke[by] >= most || by != ownTests && keys >= maxSmokeTests {
		return false
	}
	s.smoke[by]++
	return true
}

func (s *Server) endTest(by string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.smoke[by]--; s.smoke[by] == 0 {
		delete(s.smoke, by)
	}
}

// smokeTest begins to send the card, and returns when the media server takes it or does not. The error is a fault.
func (s *Server) smokeTest(ctx context.Context, address string, last time.Duration, caller netip.Addr,
	by string) error {
	const op = "send the test card"
	u, err := parseMedia(address)
	if err != nil {
		return err
	}
	if !s.takeTest(by) {
		return fault.New(fault.PushesFull, op, "two tests run already, or one with this key")
	}
	begun := make(chan error, 1)
	if !s.background(func() {
		defer s.endTest(by)
		begin, cancel := context.WithTimeout(s.ctx, rtmpWithin)
		addr, err := s.reach(begin, u, caller, by == ownTests)
		cancel()
		if err != nil {
			begun <- err
			return
		}
		run, cancel := context.WithTimeout(s.ctx, last+rtmpWithin)
		defer cancel()
		taken := false
		if err = sendCard(run, u, addr, last, func() { taken = true; begun <- nil }); taken {
			s.o.Log.Info("a test card was sent", "time", last, "err", err)
			return
		}
		begun <- fault.Wrap(fault.MediaServerUnreachable, op, err)
	}) {
		s.endTest(by)
		return fault.New(fault.Draining, op, "")
	}
	select {
	case err := <-begun:
		return err
	case <-ctx.Done():
		return fault.Wrap(fault.Canceled, op, ctx.Err())
	}
}

// readCard reads the card's pictures, and its parameter sets.
func readCard() (pictures [][][]byte, sps, pps []byte, err error) {
	m := &mpegts.Reader{R: bytes.NewReader(card)}
	if err := m.Initialize(); err != nil {
		return nil, nil, nil, fmt.Errorf("read the test card: %w", err)
	}
	for _, t := range m.Tracks() {
		m.OnDataH264(t, func(_, _ int64, unit [][]byte) error {
			pictures = append(pictures, unit)
			return nil
		})
	}
	for err == nil {
		err = m.Read()
	}
	if !errors.Is(err, io.EOF) || len(pictures) == 0 {
		return nil, nil, nil, fmt.Errorf("read the test card: %w", err)
	}
	for _, n := range pictures[0] {
		switch h264.NALUType(n[0] & 0x1f) {
		case h264.NALUTypeSPS:
			sps = n
		case h264.NALUTypePPS:
			pps = n
		}
	}
	return pictures, sps, pps, nil
}

// sendCard sends the card again and again. It calls begun when the media server takes it.
func sendCard(ctx context.Context, u *url.URL, addr netip.AddrPort, last time.Duration, begun func()) error {
	pictures, sps, pps, err := readCard()
	if err != nil {
		return err
	}
	c, _, end, err := dialRTMP(ctx, u, addr, true)
	if err != nil {
		return err
	}
	defer end()
	track := &format.H264{PayloadTyp: 96, SPS: sps, PPS: pps, PacketizationMode: 1}
	out := &gortmplib.Writer{Conn: c, Tracks: []format.Format{track}}
	if err := out.Initialize(); err != nil {
		return fmt.Errorf("describe the test card: %w", err)
	}
	begun()
	tick := time.NewTicker(time.Second / cardRate)
	defer tick.Stop()
	for n := range int(last.Seconds() * cardRate) {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		at := time.Duration(n) * time.Second / cardRate
		if err := out.WriteH264(track, at, at, pictures[n%len(pictures)]); err != nil {
			return fmt.Errorf("send the test card: %w", err)
		}
	}
	// What was sent is on its way: a connection that is closed at once may lose it.
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok && half.CloseWrite() == nil {
		_, _ = io.Copy(io.Discard, c.Conn) // ends with the media server's side, or ctx
	}
	return nil
}
