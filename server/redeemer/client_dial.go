package redeemer

import (
	"crypto/tls"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/keepalive"
)

// clientMaxMessage is many times any answer.
const clientMaxMessage = 16 << 10

// dial makes the one connection for everything; it is opened on demand. Pings are rare, because
// servers disconnect clients that send more; together with the refreshing of max floats they
// detect a vanished peer, as sent data must be confirmed within Timeout.
func (c *Client) dial() (*grpc.ClientConn, error) {
	opt := &c.opt
	creds := credentials.NewTLS(&tls.Config{
		InsecureSkipVerify: true, // redeemers sign their own certificates; see verify
		VerifyConnection:   c.verify, MinVersion: tls.VersionTLS12,
	})
	retry := backoff.DefaultConfig
	retry.BaseDelay, retry.MaxDelay = opt.Retry, min(10*time.Second, opt.RetryMost)
	return grpc.NewClient("passthrough:///"+opt.Addr,
		grpc.WithTransportCredentials(creds),
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: retry, MinConnectTimeout: 5 * time.Second}),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 6 * time.Minute, Timeout: 20 * time.Second}),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(clientMaxMessage), grpc.MaxCallSendMsgSize(clientMaxMessage)),
		grpc.WithMaxHeaderListSize(clientMaxMessage),
		grpc.WithDisableServiceConfig(), grpc.WithNoProxy())
}

// verify refuses a peer that does not show a trusted certificate, before anything is sent to
// it, and keeps the reason for the condition.
func (c *Client) verify(s tls.ConnectionState) error {
	err := c.opt.Trust.Verify(c.opt.Addr, c.opt.Now(), s.PeerCertificates)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.untrusted = ""
	if err != nil {
		c.untrusted = c.opt.Addr + ": " + err.Error()
	}
	return err
}
