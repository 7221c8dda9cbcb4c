package liverunner

import "testing"

// TestARunnerLeadsToNoMetadata: no runner has the node connect to the network of its machine alone.
func TestARunnerLeadsToNoMetadata(t *testing.T) {
	t.Parallel()
	for address, permitted := range map[string]bool{
		"127.0.0.1:9000": true, "10.0.0.7:80": true, "[2001:db8::1]:443": true,
		"169.254.169.254:80": false, "[::ffff:169.254.169.254]:80": false, "[fe80::1%eth0]:80": false,
		"[fd00:ec2::254]:80": false, "[fd20:ce::254]:80": false, "[fd00:c1::a9fe:a9fe]:80": false,
		"100.100.100.200:80": false,
		"192.0.0.192:80":     false, "168.63.129.16:32526": false, "[::ffff:100.100.100.200]:80": false,
		"[fd00:1::7]:80": true, "100.100.100.201:80": true,
	} {
		if err := Permit("tcp", address, nil); (err == nil) != permitted {
			t.Errorf("%s: %v", address, err)
		}
	}
}
