package media

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
)

// settling is how long after the start no device is missed: devices are tested and workers
// come back first.
const settling = 15 * time.Second

// readiness looks once, when everything has had time to begin, whether a device is
// there to transcode. Later changes are reported when they happen.
type readiness struct{ p *Part }

// Name returns the component's name.
func (*readiness) Name() string { return "readiness" }

// Run waits, looks and waits for the end.
func (r *readiness) Run(ctx context.Context, ready func()) error {
	ready()
	timer := time.NewTimer(settling)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return nil
	case <-timer.C:
	}
	r.p.settled.Store(true)
	r.p.reportTranscoders()
	<-ctx.Done()
	return nil
}

// reportTranscoders reports it while no device is ready to transcode, with the reasons.
func (p *Part) reportTranscoders() {
	key := health.Key{Code: fault.NoTranscoders}
	if p.Pool == nil || p.Pool.Ready() > 0 {
		p.Board.Clear(key)
		return
	}
	if !p.settled.Load() {
		return
	}
	var why []string
	for _, u := range p.Pool.Devices() {
		why = append(why, DeviceName(&u)+" is "+u.State+because(&u))
	}
	if len(why) == 0 {
		why = []string{"no device is attached and no transcoder has registered"}
	}
	p.Board.Set(key, strings.Join(why, "; "))
}

func because(u *device.Use) string {
	if u.Code == "" {
		return ""
	}
	return " (" + string(u.Code) + ")"
}

// DeviceName returns a device's name for people: "gpu 0", where the operator wrote 0.
func DeviceName(u *device.Use) string {
	if _, err := strconv.Atoi(u.Device); err == nil && !u.Remote {
		return "gpu " + u.Device
	}
	return u.Device
}
