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
// begins with tls: serves TLS with HTTP/2; an https upstream is asked in HTTP/2.
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
	return listen(ctx, args[0], proxy)
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
