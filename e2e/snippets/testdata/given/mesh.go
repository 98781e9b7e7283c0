package snippet

var m = mesh.Must(mesh.ParseMesh("ranks=4"))
