package gateway

import (
	"crypto/sha256"
	"fmt"
	"net/http"

	"github.com/tuttinode/tutti/server/admission"
)

// maxPushers bounds the pushers remembered per stream: most have one.
const maxPushers = 32

// pusher identifies a pushing client, as far as the admission hook can: the hook decides by the
// pushed address and may count the clients. Requests that differ in anything but the segment are
// admitted separately.
type pusher [sha256.Size]byte

// pusherOf is constant without an admission hook.
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
	// Behind a proxy these headers distinguish its clients.
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Real-Ip"} {
		fmt.Fprintf(h, "%q", r.Header[name])
	}
	return pusher(h.Sum(nil))
}
