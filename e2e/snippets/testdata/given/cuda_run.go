package snippet

//snippets:build

var denseGELUSet run.Set
