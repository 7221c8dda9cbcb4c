package bounds

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/tuttinode/tutti/test/adversary"
	"github.com/tuttinode/tutti/test/procfs"
)

// mostMemory is what one address without credentials may cost, whatever it sends.
const mostMemory = 64 << 20

// grpcPath is the call that everybody may make.
const grpcPath = "/net.Orchestrator/GetOrchestrator"

// attack is one thing that an address without credentials does over and over.
type attack struct {
	name        string
	connections int
	run         func(s *stranger) func(ctx context.Context)
}

// floods opens streams over HTTP/2 as fast as the server takes them.
func floods(each func(c *h2) error) func(s *stranger) func(context.Context) {
	return func(s *stranger) func(context.Context) {
		return func(ctx context.Context) { s.over(ctx, false, each) }
	}
}

var attacks = []attack{
	{"headers of calls", 20, floods(func(c *h2) error {
		_, err := c.open(c.request(grpcPath, "application/grpc", int(c.mostHeaders.Load())-2000), true)
		return err
	})},
	{"headers of jobs", 20, floods(func(c *h2) error {
		_, err := c.open(c.request("/llm", "application/json", int(c.mostHeaders.Load())-2000), true)
		return err
	})},
	{"headers whose block never ends", 40, floods(func(c *h2) error {
		if _, err := c.open(c.request("/llm", "application/json", int(c.mostHeaders.Load())-2000), false); err != nil {
			return err
		}
		<-c.ended // the server hangs up
		return io.EOF
	})},
	{"different headers over HTTP/1.1", 100, func(s *stranger) func(context.Context) {
		var b strings.Builder
		b.WriteString("POST /llm HTTP/1.1\r\nHost: node\r\n")
		for n := 0; b.Len() < 1000<<10; n++ {
			fmt.Fprintf(&b, "%x:\r\n", n)
		}
		text := b.String()
		return func(ctx context.Context) {
			if conn, err := s.tls(ctx, "http/1.1"); err == nil {
				trickle(ctx, conn, text, time.Second/4)
			}
		}
	}},
	{"idle connections with TLS", 1500, func(s *stranger) func(context.Context) {
		return func(ctx context.Context) {
			if conn, err := s.tls(ctx, "h2"); err == nil {
				hold(ctx, conn)
			}
		}
	}},
	{"idle connections without TLS", 2000, func(s *stranger) func(context.Context) {
		return func(ctx context.Context) {
			if conn, err := s.dial(ctx); err == nil {
				hold(ctx, conn)
			}
		}
	}},
	{"bodies that are announced and do not come", 20, floods(func(c *h2) error {
		_, err := c.open(c.request("/llm", "application/json", 0,
			hpack.HeaderField{Name: "content-length", Value: "10000000"}), true)
		return err
	})},
	{"slow bodies", 200, func(s *stranger) func(context.Context) {
		text := "POST /llm HTTP/1.1\r\nHost: node\r\nContent-Type: application/json\r\nContent-Length: 10000000\r\n\r\n" +
			strings.Repeat(" ", 60<<10)
		return func(ctx context.Context) {
			if conn, err := s.tls(ctx, "http/1.1"); err == nil {
				trickle(ctx, conn, text, time.Second/4)
			}
		}
	}},
	{"half messages of calls", 20, floods(func(c *h2) error {
		stream, err := c.open(c.request(grpcPath, "application/grpc", 0), true)
		if err != nil {
			return err
		}
		// A message of a megabyte, of which a few KB come.
		return c.WriteData(stream, false, append([]byte{0, 0, 0x0f, 0xff, 0xff}, make([]byte, 4<<10)...))
	})},
	{"streams that are reset at once", 20, floods(func(c *h2) error {
		stream, err := c.open(c.request(grpcPath, "application/grpc", int(c.mostHeaders.Load())/8), true)
		if err != nil {
			return err
		}
		return c.WriteRSTStream(stream, http2.ErrCodeCancel)
	})},
	{"pings and settings, and nothing is read", 20, func(s *stranger) func(context.Context) {
		return func(ctx context.Context) {
			s.over(ctx, true, func(c *h2) error {
				if err := c.WritePing(false, [8]byte{}); err != nil {
					return err
				}
				return c.WriteSettings(http2.Setting{ID: http2.SettingHeaderTableSize, Val: 1 << 20})
			})
		}
	}},
	{"blocks of headers continued by nothing", 20, floods(func(c *h2) error {
		stream, err := c.open(c.request("/llm", "application/json", 0), false)
		for err == nil {
			err = c.WriteContinuation(stream, false, nil)
		}
		return err
	})},
	{"data of no bytes", 20, floods(func(c *h2) error {
		stream, err := c.open(c.request("/llm", "application/json", 0), true)
		for err == nil {
			err = c.WriteData(stream, false, nil)
		}
		return err
	})},
	{"windows and priorities of streams", 20, floods(func(c *h2) error {
		stream, err := c.open(c.request("/llm", "application/json", 0), true)
		for n := uint32(1); err == nil; n++ {
			if err = c.WriteWindowUpdate(stream, 1); err == nil {
				err = c.WritePriority(stream, http2.PriorityParam{StreamDep: 2*(n%1e6) + 1 + stream, Weight: uint8(n)})
			}
		}
		return err
	})},
	{"sizes of the table of headers", 20, floods(func(c *h2) error {
		// Each block changes the size of the table up to the limit and back, and fills it with new fields.
		c.block.Reset()
		var fields []hpack.HeaderField
		for n := range 60 {
			fields = append(fields, hpack.HeaderField{Name: fmt.Sprintf("x-%d-%d", c.next, n), Value: "v"})
		}
		c.enc.SetMaxDynamicTableSize(0)
		c.enc.SetMaxDynamicTableSize(4096)
		stream, err := c.open(c.request("/llm", "application/json", 0, fields...), true)
		if err != nil {
			return err
		}
		return c.WriteRSTStream(stream, http2.ErrCodeCancel)
	})},
	{"answers that are not taken", 20, func(s *stranger) func(context.Context) {
		return func(ctx context.Context) {
			s.over(ctx, true, func(c *h2) error {
				_, err := c.open(c.request("/no/such/path", "text/plain", 0), true)
				return err
			})
		}
	}},
}

// TestOneAddressCostsLittleMemory: one address without credentials costs at most 64 MB
// of the node's memory, whatever it sends.
func TestOneAddressCostsLittleMemory(t *testing.T) {
	length := time.Second
	if adversary.Long() {
		length = 20 * time.Second
	}
	o := orchestrator(t, 0)
	for n, a := range attacks {
		t.Run(a.name, func(t *testing.T) {
			before := procfs.Resident(o.PID())
			ctx, cancel := context.WithTimeout(t.Context(), length)
			defer cancel()
			s := strangerAt(n, o.front)
			over := make(chan struct{})
			go func() {
				defer close(over)
				s.connectMany(ctx, a.connections, a.run(s))
			}()
			peak := peakOf(o.PID(), over)
			t.Logf("%d MB more than %d MB, for %d KB of frames", (peak-before)>>20, before>>20, s.sent.Load()>>10)
			if peak-before > mostMemory {
				t.Errorf("the address costs %d MB, at most %d are allowed", (peak-before)>>20, mostMemory>>20)
			}
		})
	}
}

// peakOf is the most memory that a process had until over is closed.
func peakOf(pid int, over <-chan struct{}) (peak int64) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		peak = max(peak, procfs.Resident(pid))
		select {
		case <-tick.C:
		case <-over:
			return max(peak, procfs.Resident(pid))
		}
	}
}
