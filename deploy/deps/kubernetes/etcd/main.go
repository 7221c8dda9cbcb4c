// Command etcd is the store of the API server that tests run: one member on the loopback
// interface, with its files in a directory of its own. It is not for use outside tests: it does not
// wait for the disk, and every program of the machine may ask it.
//
// It prints the address where it listens, and ends with the test that started it.
package main

import (
	"flag"
	"fmt"
	"net/url"
	"os"

	"go.etcd.io/etcd/server/v3/embed"
)

func main() {
	dir := flag.String("data", "", "directory of the store's files")
	flag.Parse()
	if *dir == "" || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "usage: etcd -data directory")
		os.Exit(2)
	}
	if err := run(*dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run serves until the store fails.
func run(dir string) error {
	cfg := embed.NewConfig()
	cfg.Dir, cfg.LogLevel, cfg.UnsafeNoFsync = dir, "error", true
	// One member: its address for others is never dialed.
	loopback := []url.URL{{Scheme: "http", Host: "127.0.0.1:0"}}
	cfg.ListenClientUrls, cfg.AdvertiseClientUrls = loopback, loopback
	cfg.ListenPeerUrls, cfg.AdvertisePeerUrls = loopback, loopback
	cfg.InitialCluster = cfg.InitialClusterFromName(cfg.Name)
	server, err := embed.StartEtcd(cfg)
	if err != nil {
		return err
	}
	defer server.Close()
	select {
	case <-server.Server.ReadyNotify():
	case err := <-server.Err():
		return err
	}
	fmt.Printf("listening on %s\n", server.Clients[0].Addr())
	return <-server.Err()
}
