package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"time"
)

// serveProxy is the peer, the standard library's reverse proxy: proxy <listen> <upstream>. Like a node it serves
// TLS, and it passes bytes on as they come.
func serveProxy(ctx context.Context, args []string) error {
	up, err := url.Parse(args[1])
	if err != nil {
		return err
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", args[0])
	if err != nil {
		return err
	}
	srv, err := tlsServer(&httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(up) },
		FlushInterval: -1,
		Transport: &http.Transport{MaxIdleConnsPerHost: 2048, DisableCompression: true, MaxResponseHeaderBytes: 64 << 10,
			TLSClientConfig: selfSigned},
	})
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { _ = srv.Close() })()
	if err := srv.ServeTLS(l, "", ""); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// tlsServer makes a server of HTTP/1.1 with a certificate of its own.
func tlsServer(h http.Handler) (*http.Server, error) {
	cert, err := certificate()
	if err != nil {
		return nil, err
	}
	srv := &http.Server{Handler: h, ReadHeaderTimeout: time.Minute, Protocols: new(http.Protocols),
		ErrorLog:  slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug), // the end of a load breaks connections
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{cert}}}
	srv.Protocols.SetHTTP1(true)
	return srv, nil
}

func certificate() (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	now := time.Now()
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: now.Add(-time.Hour),
		NotAfter: now.Add(24 * time.Hour), DNSNames: []string{"localhost"}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, err
}

// peer is a proxy before a server of this process.
type peer struct {
	*process
	url    string
	server *http.Server
	done   chan struct{}
}

// peer starts a proxy before a handler.
func (s settings) peer(ctx context.Context, h http.Handler) (*peer, error) {
	srv, err := tlsServer(h)
	if err != nil {
		return nil, err
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", loopback)
	if err != nil {
		return nil, err
	}
	addr := freeAddress()
	p := &peer{url: "https://" + addr, server: srv, done: make(chan struct{})}
	if p.process, err = s.self("proxy", addr, "https://"+l.Addr().String()); err != nil {
		_ = l.Close()
		return nil, err
	}
	go func() { defer close(p.done); _ = srv.ServeTLS(l, "", "") }() // ends with end
	err = await(ctx, "the proxy", func() bool {
		c, err := (&net.Dialer{}).DialContext(ctx, "tcp", addr)
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	})
	if err != nil {
		p.end()
		return nil, err
	}
	return p, nil
}

func (p *peer) end() {
	p.kill()
	_ = p.server.Close()
	<-p.done
}
