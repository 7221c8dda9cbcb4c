package gateway

import (
	"crypto/sha256"
	"fmt"
	"net/http"

	"github.com/tuttinode/tutti/server/admission"
)

// maxPushers bounds those that are remembered for a stream: most have one.
const maxPushers = 32

// pusher is who pushes into a stream, as far as the admission hook can know it: the
// hook decides by the address that is pushed to, and may count who comes with it. What
// differs in anything else than the segment is asked about by itself.
type pusher [sha256.Size]byte

// pusherOf is always the same where no hook admits streams.
func (g *Gateway) pusherOf(r *http.Request, req *pushRequest) pusher {
	if g.opt.AdmissionHook == "" {
		return pusher{}
	}
	h := sha256.New()
	for _, part := range []string{
		admission.NetworkOf(r.RemoteAddr).String(), r.Host, string(req.Path), string(req.Manifest), r.URL.RawQuery,
	} {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	// Behind a proxy these tell its clients from one another.
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Real-Ip"} {
		fmt.Fprintf(h, "%q", r.Header[name])
	}
	return pusher(h.Sum(nil))
}
