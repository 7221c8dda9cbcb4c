//go:build unix

package admin_test

import (
	"context"
	"io"
	"net/http"
	"syscall"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/server/admin"
)

// CPU is the time that this process has had of all CPU cores.
func processor() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// What a hundred open dashboards cost while a thousand sessions work: the share of one
// CPU, the readers' own part included.
func BenchmarkHundredDashboards(b *testing.B) {
	watch, series := busy(1000)
	st := stationIn(b.TempDir(), func(o *admin.Options) {
		o.Listen, o.Work.Sessions, o.Work.Series = "127.0.0.1:0", watch.Live, series.Points
	})
	ctx, cancel := context.WithCancel(b.Context())
	ready, ended := make(chan struct{}), make(chan error, 1)
	go func() { ended <- st.Run(ctx, func() { close(ready) }) }()
	<-ready
	transport := &http.Transport{}
	client := &http.Client{Transport: transport}
	for range 100 {
		res, err := client.Get("http://" + st.Addr().String() + adminapi.PathEvents)
		if err != nil {
			b.Fatal(err)
		}
		go func() { _, _ = io.Copy(io.Discard, res.Body); _ = res.Body.Close() }()
	}
	const seconds = 5
	for b.Loop() {
		before := processor()
		for range seconds {
			work(watch, 1000)
			timer := time.NewTimer(time.Second)
			<-timer.C
		}
		b.ReportMetric(100*(processor()-before).Seconds()/seconds, "%cpu")
	}
	cancel()
	if err := <-ended; err != nil {
		b.Error(err)
	}
	transport.CloseIdleConnections()
}
