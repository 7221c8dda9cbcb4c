package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"math/big"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"time"
)

// serveProxy is the peer: proxy <listen> <upstream>. A listening address that
// begins with tls: serves TLS with HTTP/2; requests to an https upstream use HTTP/2.
func serveProxy(ctx context.Context, args []string) error {
	up, err := url.Parse(args[1])
	if err != nil {
		return err
	}
	proxy := &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(up) },
		FlushInterval: -1,
		Transport: &http.Transport{
			MaxIdleConnsPerHost: 2048, ForceAttemptHTTP2: true, DisableCompression: true,
			TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, // the other peer signs its own
		},
	}
	return listen(ctx, args[0], fullDuplex(proxy))
}

// fullDuplex keeps the request's body open while the answer is written. Otherwise the server closes it with the first
// byte of the answer, and a transport that has yet to read the body's end, as on a busy machine, then breaks its own
// connection: the client sees an answer that is cut.
func fullDuplex(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).EnableFullDuplex() // HTTP/2 is always so
		next.ServeHTTP(w, r)
	})
}

func listen(ctx context.Context, addr string, h http.Handler) error {
	srv := &http.Server{Handler: h}
	tlsAddr, isTLS := cutPrefix(addr, "tls:")
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", tlsAddr)
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { srv.Close() })
	defer stop()
	if isTLS {
		cert, err := certificate()
		if err != nil {
			return err
		}
		srv.TLSConfig = &tls.Config{Certificates: []tls.Certificate{cert}}
		err = srv.ServeTLS(l, "", "")
		return ignoreClosed(err)
	}
	return ignoreClosed(srv.Serve(l))
}

func ignoreClosed(err error) error {
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

func cutPrefix(s, prefix string) (string, bool) {
	if len(s) >= len(prefix) && s[:len(prefix)] == prefix {
		return s[len(prefix):], true
	}
	return s, false
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
