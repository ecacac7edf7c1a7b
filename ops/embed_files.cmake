# Writes FILES as C++ raw strings: {"name", R"~(content)~"}, one entry a file, sorted by name.
list(SORT FILES COMPARE FILE_BASENAME)
set(text "")
foreach(file ${FILES})
  get_filename_component(name ${file} NAME)
  file(READ ${file} content)
  string(APPEND text "{\"${name}\", R\"~(${content})~\"},\n")
endforeach()
file(WRITE ${OUT} "${text}")
