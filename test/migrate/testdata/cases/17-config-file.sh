livepeer -config /etc/livepeer/livepeer.conf -serviceAddr orch.example.org:8935
