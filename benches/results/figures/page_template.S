/* page.html, the template of the page, as bytes between two symbols (page.cpp). */
    .section .rodata
    .global kernbench_page_template
    .global kernbench_page_template_end
kernbench_page_template:
    .incbin KERNBENCH_PAGE_TEMPLATE
kernbench_page_template_end:
    .section .note.GNU-stack, "", %progbits
