package mpi

import "os"

// onlySend are settings of Open MPI that each have the ways between processes of one
// machine, and over TCP, take a message as a stream. Otherwise Open MPI lets one side
// read or write the other's memory for messages above some kilobytes, and takes their
// length from the sender. With 4.1.4, a message longer than its receiver's buffer is
// then an error that has overwritten the memory after the buffer. In Go that must not
// be. docs/howto-mpi.md says what it costs.
var onlySend = []string{"OMPI_MCA_btl_self_flags", "OMPI_MCA_btl_vader_flags", "OMPI_MCA_btl_sm_flags", "OMPI_MCA_btl_tcp_flags"}

// keepBounds makes those settings which the user has not made. The library reads them
// from the environment when it starts.
func keepBounds() error {
	for _, name := range onlySend {
		if _, set := os.LookupEnv(name); set {
			continue
		}
		if err := os.Setenv(name, "send"); err != nil {
			return err
		}
	}
	return nil
}
