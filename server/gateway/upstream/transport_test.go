package upstream

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
)

// BenchmarkHandOver compares the protocols for what they carry: a segment of
// 1.5 MB up, as fast as one connection goes. The server's windows are those of
// this project's orchestrator.
func BenchmarkHandOver(b *testing.B) {
	data := make([]byte, 1_500_000)
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		buf := make([]byte, len(data))
		if _, err := io.ReadFull(r.Body, buf); err != nil {
			b.Error(err)
		}
	}))
	srv.EnableHTTP2 = true
	srv.Config.HTTP2 = &http.HTTP2Config{MaxReadFrameSize: 256 << 10, MaxReceiveBufferPerConnection: 16 << 20,
		MaxReceiveBufferPerStream: 4 << 20}
	srv.StartTLS()
	defer srv.Close()
	h1 := bulkTransport(new(net.Dialer))
	h2 := bulkTransport(new(net.Dialer))
	h2.Protocols.SetHTTP1(false)
	h2.Protocols.SetHTTP2(true)
	h2.TLSClientConfig = tlsConfig("h2")
	for name, tr := range map[string]*http.Transport{"HTTP1": h1, "HTTP2": h2} {
		b.Run(name, func(b *testing.B) {
			defer tr.CloseIdleConnections()
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				req, err := http.NewRequest(http.MethodPost, srv.URL, bytes.NewReader(data))
				if err != nil {
					b.Fatal(err)
				}
				resp, err := tr.RoundTrip(req)
				if err != nil {
					b.Fatal(err)
				}
				resp.Body.Close()
			}
		})
	}
}
