package worker

import (
	"context"
	"net"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/keepalive"
)

const (
	dialTimeout = 5 * time.Second
	// silence is how long an orchestrator may confirm nothing before it is given up.
	silence = 6 * time.Second
	// pingEvery asks an orchestrator whose machine answers, but whose process may
	// stand still. Where it forbids pings, they are as rare as servers take them.
	pingEvery = 10 * time.Second
	pingRare  = 6 * time.Minute
	// window lets a segment of the largest usual size come over a long line without
	// waiting for confirmations.
	window = 64 << 20
)

// dialer opens connections whose dead end is noticed in seconds.
func dialer() *net.Dialer {
	return &net.Dialer{
		Timeout:         dialTimeout,
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 3 * time.Second, Interval: time.Second, Count: 3},
		Control:         setSendTimeout,
	}
}

// dial makes the connection of one registration. It connects at the first call, and
// does not connect again: when to do that is the link's to say. outcome gets what
// came of the attempt to connect: gRPC passes on the text of its error only.
func (o *Options) dial(addr string, ping time.Duration, outcome func(net.Conn, error)) (*grpc.ClientConn, error) {
	d := dialer()
	return grpc.NewClient("passthrough:///"+addr,
		grpc.WithTransportCredentials(credentials.NewTLS(o.TLS.config(addr))),
		grpc.WithContextDialer(func(ctx context.Context, addr string) (net.Conn, error) {
			conn, err := d.DialContext(ctx, "tcp", addr)
			outcome(conn, err)
			return conn, err
		}),
		grpc.WithStatsHandler(trailerStats{}),
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: backoff.DefaultConfig, MinConnectTimeout: dialTimeout}),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: ping, Timeout: silence}),
		grpc.WithInitialWindowSize(window), grpc.WithInitialConnWindowSize(window),
		grpc.WithReadBufferSize(256<<10),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(o.MaxMessage)), grpc.WithMaxHeaderListSize(64<<10),
		grpc.WithDisableServiceConfig(), grpc.WithDisableRetry(), grpc.WithNoProxy(), grpc.WithIdleTimeout(0))
}
